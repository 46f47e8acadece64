// Runs in the inbox page. Without it the page still works: one reloads it by hand.
const POLL_MS = 1_500
const TYPING_PAUSE_MS = 150

const list = document.getElementById('list')
const search = document.getElementById('q')
const count = document.getElementById('count')
const news = document.getElementById('news')
const offline = document.getElementById('offline')
const clear = document.getElementById('clear')
const confirmation = document.getElementById('confirm')

let revision = ''
let request

async function refresh({ announce = true } = {}) {
  request?.abort()
  request = new AbortController()
  try {
    const headers = revision ? { 'if-none-match': revision } : {}
    const response = await fetch(`/list${location.search}`, { headers, cache: 'no-store', signal: request.signal })
    offline.hidden = true
    if (response.status !== 200) return
    const isFirst = revision === ''
    revision = response.headers.get('etag') ?? ''
    show(await response.text(), announce && !isFirst)
  } catch (error) {
    if (error.name !== 'AbortError') offline.hidden = false
  }
}

// The list is the server's own markup, escaped there. Focus and scroll position stay where they are.
function show(markup, announce) {
  if (list.innerHTML === markup) return
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null
  const newestBefore = newestHref()
  const heightBefore = document.documentElement.scrollHeight
  list.innerHTML = markup
  if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
  const newestNow = newestHref()
  const total = list.querySelector('.summary').dataset.total
  if (scrollY > 0 && newestNow !== newestBefore) scrollBy(0, document.documentElement.scrollHeight - heightBefore)
  if (announce && newestNow && newestNow !== newestBefore) news.textContent = `New mail. ${total}.`
  count.textContent = total
  clear.hidden = total.startsWith('0 ')
}

function newestHref() {
  return list.querySelector('a.mail')?.getAttribute('href')
}

let typing
search.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(() => {
    const words = search.value.trim()
    history.replaceState(null, '', words ? `/?${new URLSearchParams({ q: words })}` : '/')
    revision = ''
    refresh()
  }, TYPING_PAUSE_MS)
})

clear.addEventListener('click', () => confirmation.showModal())
confirmation.addEventListener('close', async () => {
  if (confirmation.returnValue === 'delete') await fetch('/api/messages', { method: 'DELETE' })
  confirmation.returnValue = ''
  search.focus()
  await refresh({ announce: false })
})

document.addEventListener('visibilitychange', () => document.hidden || refresh())

async function poll() {
  if (!document.hidden) await refresh()
  setTimeout(poll, POLL_MS)
}
poll()
