# Prints for each line of the input, a JSON list of a language and a text, whether the text is Python.
import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")
for line in sys.stdin:
    try:
        compile(json.loads(line)[1], "text", "exec", ast.PyCF_ONLY_AST)
        print("true", flush=True)
    except (SyntaxError, ValueError, RecursionError):
        print("false", flush=True)
