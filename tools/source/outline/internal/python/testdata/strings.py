a = 'it\'s # not a comment' "def no(): {"
b = r"\" def" + rb'\'' + Rb"x" + f"{a!r:>{b}}" + u'x'
c = '''
def not_a_function():
    """nested"""
    pass
\''''
d = """"quoted\""" "\\"""
e = f"{a['key']}{{ {b:{'}'}} }}" f'{x:%H:%M}' + f"""{
    a + "}"  # a comment with " and }
}"""
f = f"{"nested " + f"{'deep' + f"{1}"}"}"; g = f'{x["def f():"]!r}' f"{d if a else "def"}"
h = rf"\{a}\"" + f"\N{LEFT CURLY BRACKET}" + f"{x:\"}" + f'''{x:'>10} ' " '''
i = x if"{"else"}" or"'"
j = b'''\\''' + br"""
def no(): pass
"""
def after(p='"', *, q="'''"): return """
class No:
    pass
"""
k = t"{x}" f"{x!s:lambda}" f"{(lambda: {1: 2})}" f"{x:{y}{z}}" f"{a:=5}"
