import type { ReactNode } from 'react'

// Drawn on a grid of 24, in the colour of the text around them.

const paths = {
  circle: <><circle cx="12" cy="12" r="9" /><path d="M12 3l7.8 13.5H4.2zM12 21L4.2 7.5h15.6z" strokeWidth="1.1" /></>,
  mask: <><path d="M12 3l2.2 5.6L20 9l-4.5 3.8L17 19l-5-3.3L7 19l1.5-6.2L4 9l5.8-.4z" /></>,
  scroll: <><path d="M7 4h10a2 2 0 0 1 2 2v1h-4M7 4a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h8a2 2 0 0 0 2-2V6a2 2 0 0 1 2-2" /><path d="M9 9h4M9 13h4" /></>,
  pulse: <path d="M3 12h4l2.5-6 4 12 2.5-6h5" />,
  wand: <><path d="M4 20L14.5 9.5" /><path d="M17 3v4M19 5h-4M20 11v3M21.5 12.5h-3M11 3v2.5M12.2 4.2H9.8" /></>,
  eye: <><path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" /><circle cx="12" cy="12" r="2.8" /></>,
  quill: <><path d="M20 4c-7 0-12 4-13 12l-2 4" /><path d="M20 4c0 7-4 11-11 11.5M11 9.5l4-1" /></>,
  flask: <><path d="M9.5 3h5M10.5 3v6L5 18.5A1.7 1.7 0 0 0 6.5 21h11a1.7 1.7 0 0 0 1.5-2.5L13.5 9V3" /><path d="M7.5 15h9" /></>,
  bolt: <path d="M13 3L5 14h6l-1 7 8-11h-6z" />,
  clock: <><circle cx="12" cy="12" r="8.5" /><path d="M12 7v5.2l3.4 2" /></>,
  hourglass: <><path d="M7 3h10M7 21h10M8 3c0 5 8 6 8 9s-8 4-8 9M16 3c0 5-8 6-8 9s8 4 8 9" /></>,
  wrench: <path d="M20 7.5a4.5 4.5 0 0 1-6 4.2L7 19a2 2 0 0 1-2.9-2.9l7.3-7A4.5 4.5 0 0 1 17 3.8l-2.6 2.6 1 2.2 2.2 1z" />,
  check: <path d="M4.5 12.5l5 5 10-11" />,
  cross: <path d="M6 6l12 12M18 6L6 18" />,
  warning: <><path d="M12 4l9 16H3z" /><path d="M12 10v4.5M12 17.2v.3" /></>,
  chain: <><path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1" /><path d="M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1" /></>,
  silence: <><path d="M4 9v6h4l5 4V5L8 9z" /><path d="M17 10l4 4M21 10l-4 4" /></>,
  stop: <><circle cx="12" cy="12" r="8.5" /><path d="M9 9l6 6M15 9l-6 6" /></>,
  trash: <path d="M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5" />,
  chevron: <path d="M9 5l7 7-7 7" />,
  search: <><circle cx="11" cy="11" r="6.5" /><path d="M16 16l4.5 4.5" /></>,
  plus: <path d="M12 5v14M5 12h14" />,
  lock: <><rect x="5.5" y="10.5" width="13" height="9.5" rx="2" /><path d="M8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5" /></>,
  copy: <><rect x="9" y="9" width="11" height="11" rx="2" /><path d="M15 5.5V5a1.5 1.5 0 0 0-1.5-1.5h-8A1.5 1.5 0 0 0 4 5v8a1.5 1.5 0 0 0 1.5 1.5H6" /></>,
  file: <><path d="M13.5 3H7a1.5 1.5 0 0 0-1.5 1.5v15A1.5 1.5 0 0 0 7 21h10a1.5 1.5 0 0 0 1.5-1.5V8z" /><path d="M13.5 3v5h5" /></>,
  refresh: <><path d="M20 12a8 8 0 1 1-2.3-5.6" /><path d="M20 3.5V8h-4.5" /></>,
  pen: <path d="M4 20l1-4.5L16.5 4a1.8 1.8 0 0 1 2.6 0l.9.9a1.8 1.8 0 0 1 0 2.6L8.5 19z" />,
  branch: <><circle cx="7" cy="5.5" r="2" /><circle cx="7" cy="18.5" r="2" /><circle cx="17" cy="8.5" r="2" /><path d="M7 7.5v9M17 10.5c0 4-10 2-10 6" /></>,
  moon: <path d="M15 4a8.5 8.5 0 1 0 5 11.5A7 7 0 0 1 15 4z" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof paths

export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      {paths[name]}
    </svg>
  )
}
