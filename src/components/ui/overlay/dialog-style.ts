/** The buttons at the end of a form in a dialog. They stay in sight, however long the form is. */
export const dialogActions =
  '-mx-5 -mb-1 sticky -bottom-1 z-10 flex flex-col-reverse gap-2 rounded-b-xl bg-raised px-5 pt-2 pb-4 sm:flex-row sm:justify-end'
