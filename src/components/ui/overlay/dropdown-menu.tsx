'use client'

import clsx from 'clsx'
import { Check, ChevronRight } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { menuLabel, menuRow, menuSurface } from './menu-style.ts'

interface DropdownMenuProps {
  trigger: ReactNode
  align?: 'start' | 'end'
  className?: string
  children: ReactNode
}

export function DropdownMenu({ trigger, align = 'end', className, children }: DropdownMenuProps) {
  return (
    // Not modal: the page stays readable for a screen reader, and a press elsewhere counts at once.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={clsx(menuSurface, 'max-h-(--radix-dropdown-menu-content-available-height)', className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface MenuItemProps extends ComponentProps<typeof Radix.Item> {
  icon?: ReactNode
  tone?: 'normal' | 'danger'
}

export function MenuItem({ icon, tone = 'normal', className, children, ...props }: MenuItemProps) {
  return (
    <Radix.Item
      className={clsx(
        menuRow,
        tone === 'danger' && 'text-danger-text data-highlighted:bg-danger-soft [&>svg]:text-danger-text!',
        className,
      )}
      {...props}
    >
      {icon}
      {children}
    </Radix.Item>
  )
}

interface MenuChoiceProps {
  label: string
  value: string
  options: readonly { value: string; label: string; icon?: ReactNode }[]
  onValueChange: (value: string) => void
}

/** One of several, with a tick at the one that holds. */
export function MenuChoice({ label, value, options, onValueChange }: MenuChoiceProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onValueChange} aria-label={label}>
      <Radix.Label className={menuLabel}>{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={menuRow}>
          {option.icon}
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="size-4" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-border" />
}

interface MenuTickProps {
  label: string
  isTicked: boolean
  onTick: (isTicked: boolean) => void
}

/** One of those that may be ticked together; the menu stays open for the next. */
export function MenuTick({ label, isTicked, onTick }: MenuTickProps) {
  return (
    <Radix.CheckboxItem
      checked={isTicked}
      onCheckedChange={onTick}
      onSelect={(event) => event.preventDefault()}
      className={menuRow}
    >
      <span className="min-w-0 flex-1 truncate">{label}</span>
      <Radix.ItemIndicator>
        <Check aria-hidden className="size-4" />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  )
}

/** A menu behind one row of another. */
export function MenuSub({ label, icon, children }: { label: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <Radix.Sub>
      <Radix.SubTrigger className={menuRow}>
        {icon}
        <span className="min-w-0 flex-1 truncate">{label}</span>
        <ChevronRight aria-hidden className="size-4" />
      </Radix.SubTrigger>
      <Radix.Portal>
        <Radix.SubContent
          sideOffset={4}
          collisionPadding={8}
          className={clsx(menuSurface, 'max-h-[min(24rem,var(--radix-dropdown-menu-content-available-height))]')}
        >
          {children}
        </Radix.SubContent>
      </Radix.Portal>
    </Radix.Sub>
  )
}
