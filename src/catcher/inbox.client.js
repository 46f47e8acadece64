// Runs in the inbox page. Without it the page still works: one reloads it by hand.
const byId = (id) => document.getElementById(id)

async function refresh() {
  const response = await fetch(location.href, { cache: 'no-store' }).catch(() => null)
  byId('offline').hidden = response !== null
  if (!response?.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.getElementById('list')
  if (fresh.innerHTML === byId('list').innerHTML) return
  byId('count').textContent = page.getElementById('count').textContent
  show(fresh)
}

// The list is the server's own markup, escaped there. Focus and scroll position stay where they are.
function show(fresh) {
  const focused = byId('list').contains(document.activeElement) && document.activeElement.getAttribute('href')
  const heightBefore = document.documentElement.scrollHeight
  byId('list').replaceWith(fresh)
  if (focused) fresh.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
  if (scrollY > 0) scrollBy(0, document.documentElement.scrollHeight - heightBefore)
}

async function poll() {
  if (!document.hidden) await refresh()
  setTimeout(poll, 1_500)
}
poll()
