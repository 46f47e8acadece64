// Loaded before a program that is not ours (next): it ends when the process that started it is gone.
process.on('disconnect', () => process.exit(0))
