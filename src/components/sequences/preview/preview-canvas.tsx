'use client'

import clsx from 'clsx'
import { useEffect, useRef, useState } from 'react'

interface PreviewCanvasProps {
  html: string
  /** What the frame shows, read aloud. */
  title: string
  isPhone: boolean
}

const PHONE_PX = 375
const HEIGHT_PX_MIN = 160

/**
 * HTML of a mail in a frame of its own, in which nothing runs: no script, no form, no link. It is drawn into an empty
 * page, so that the frame neither flickers nor jumps while a text is typed.
 */
export function PreviewCanvas({ html, title, isPhone }: PreviewCanvasProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setIsReady] = useState(false)
  const [height, setHeight] = useState(HEIGHT_PX_MIN)

  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!isReady || !page) return
    const mail = new DOMParser().parseFromString(html, 'text/html')
    page.documentElement.lang = 'en'
    page.head.replaceChildren(...imported(page, mail.head.childNodes))
    page.title = title
    page.body.replaceWith(page.importNode(mail.body, true))
    page.body.style.overflowWrap ||= 'anywhere'
    const measure = () => setHeight(Math.max(HEIGHT_PX_MIN, page.documentElement.scrollHeight))
    const stay = (event: Event) => event.preventDefault()
    page.addEventListener('click', stay)
    // Pictures come late, and a narrower frame is longer.
    const watch = new ResizeObserver(measure)
    watch.observe(page.body)
    measure()
    return () => {
      page.removeEventListener('click', stay)
      watch.disconnect()
    }
  }, [html, isReady, title])

  return (
    <div className="overflow-x-auto rounded-md border border-border bg-sunken p-2">
      <iframe
        ref={frame}
        title={title}
        src="/api/sequences/preview-canvas"
        sandbox="allow-same-origin"
        onLoad={() => setIsReady(true)}
        style={{ height, maxWidth: isPhone ? PHONE_PX : undefined }}
        className={clsx('mx-auto block w-full rounded-sm bg-[#ffffff]', isPhone && 'shadow-card')}
      />
    </div>
  )
}

function imported(page: Document, nodes: NodeListOf<ChildNode>): Node[] {
  return [...nodes].filter(({ nodeName }) => nodeName !== 'TITLE').map((node) => page.importNode(node, true))
}
