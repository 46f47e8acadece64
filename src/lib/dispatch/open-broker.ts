import type { Broker, BrokerName, BrokerOptions } from './broker.ts'

/** Loaded only where it was chosen: who sends from the database alone pays for neither. */
export async function openBroker(name: BrokerName, options: BrokerOptions): Promise<Broker> {
  switch (name) {
    case 'rabbitmq':
      return (await import('./rabbitmq.ts')).openRabbitMq(options)
    case 'bullmq':
      return (await import('./bullmq.ts')).openBullMq(options)
  }
}
