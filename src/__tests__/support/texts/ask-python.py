"""Reads from stdin a list of {name, base64, encoding, delimiter}; writes what Python's csv module makes of each file."""
import base64, csv, io, json, sys

csv.field_size_limit(10_000_000)
answers = {}
for file in json.load(sys.stdin):
    try:
        text = base64.b64decode(file["base64"]).decode(file["encoding"])
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=file["delimiter"])
        answers[file["name"]] = {"rows": list(reader)}
    except (UnicodeDecodeError, csv.Error) as error:
        answers[file["name"]] = {"error": type(error).__name__}
json.dump(answers, sys.stdout)
