import { PageSkeleton } from '#components/ui/page-skeleton.tsx'

export default function Loading() {
  return <PageSkeleton />
}
