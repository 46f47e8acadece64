-- What a lost server may have sent to people who were due to be moved on in a sequence that branches: no email of it is here yet.
ALTER TYPE "doubt" ADD VALUE 'NOT_PLANNED';
