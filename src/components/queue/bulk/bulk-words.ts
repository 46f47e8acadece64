export const emails = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'email' : 'emails'}`
