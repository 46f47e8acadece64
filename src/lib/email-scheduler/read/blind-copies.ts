/** Of an email `e`: who gets it beside the one whom it is for. */
export const BLIND_COPIES = `ARRAY(SELECT r.address FROM email_recipients r
  WHERE r.email_id = e.id AND r.position > 0 AND r.address IS NOT NULL ORDER BY r.position)`
