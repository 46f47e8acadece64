/** Where the list is. */
export const TEMPLATES = { href: '/settings/templates', label: 'Templates' }
