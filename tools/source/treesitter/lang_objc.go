package treesitter

import (
	"bytes"
	"regexp"

	"github.com/dougu-go/dougu/tools/source"
)

func objcGrammar() grammar {
	return grammar{language: "objectivec", file: "objc", adjust: objcChunk, mask: objcMask(), added: &source.Definition{
		Aliases: []string{"objective-c", "objc", "objective-c++", "objc++"}, Extensions: []string{".m", ".mm"},
		Signs: []string{"@interface", "@implementation", "@end", "@property", "NSString", "self ", "[[", `@"`, "nullable", "#import"},
		Syntax: source.Syntax{
			LineComments:  []string{"//"},
			BlockComments: []source.Delimiters{{Open: "/*", Close: "*/"}},
			Strings:       []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}},
			Keywords: []string{
				"break", "case", "const", "continue", "default", "do", "else", "enum", "extern", "for", "goto", "id", "if", "return", "self",
				"sizeof", "static", "struct", "super", "switch", "typedef", "union", "void", "while",
			},
		},
	}}
}

// linkage is the block that stands for a namespace of C++.
const linkage = `extern "C"`

// objcMask returns a function that blanks the macros without which the grammar reads the text: marks for the nullability of a
// region, exported methods, and the types of enumerations, NS_ENUM(NSInteger, Color). Of Objective-C++ it blanks the qualifiers of
// names, std::, and makes namespaces blocks of a linkage. Directives within a list of protocols are blank, too.
func objcMask() func(src []byte) []byte {
	line := regexp.MustCompile(`(?m)^[ \t]*(?:NS_ASSUME_NONNULL_(?:BEGIN|END)|NS_HEADER_AUDIT_(?:BEGIN|END)\([^)\n]*\)|RCT_EXPORT_MODULE\([^)\n]*\);?|[A-Z][A-Z0-9]*_EXPORT_MODULE\([^)\n]*\);?)[ \t]*\r?$`)
	enum := regexp.MustCompile(`((?:\btypedef[ \t]+)?)\b(NS_ENUM|NS_OPTIONS|NS_CLOSED_ENUM|NS_ERROR_ENUM)(\([ \t]*\w+[ \t]*,[ \t]*)\w+[ \t]*(\))`)
	attribute := regexp.MustCompile(`\b(?:NS_DESIGNATED_INITIALIZER|NS_UNAVAILABLE|NS_REQUIRES_SUPER|NS_NOESCAPE|NS_RETURNS_RETAINED|__kindof|NS_SWIFT_NAME\([^)\n]*\)|API_AVAILABLE\((?:[^()\n]|\([^()\n]*\))*\)|NS_REFINED_FOR_SWIFT)`)
	qualifier := regexp.MustCompile(`(?:\b\w+)?(?:::\w+)*::[ \t]*([\w~])`)
	namespace := regexp.MustCompile(`(?m)^[ \t]*((?:inline[ \t]+)?namespace\b(?:[ \t]+[\w:]+)?)[ \t]*\{`)
	using := regexp.MustCompile(`(?m)^[ \t]*(?:using[ \t]|namespace[ \t]+\w+[ \t]*=)[^;{}\n]*;`)
	protocols := regexp.MustCompile(`(?m)^@(?:interface|protocol)\b[^<{}@;]*<[^>{}@;]*>`)
	directive := regexp.MustCompile(`(?m)^[ \t]*#.*$`)
	return func(src []byte) []byte {
		out := bytes.Clone(src)
		for _, at := range namespace.FindAllSubmatchIndex(src, -1) {
			if at[3]-at[2] >= len(linkage) {
				blank(out[at[2]:at[3]])
				copy(out[at[2]:], linkage)
			} else if at[1]-1-at[2] >= len(linkage) {
				copy(out[at[2]:], linkage)
			}
		}
		for _, at := range qualifier.FindAllSubmatchIndex(src, -1) {
			blank(out[at[0]:at[2]])
		}
		for _, at := range using.FindAllIndex(src, -1) {
			blank(out[at[0]:at[1]])
		}
		for _, at := range protocols.FindAllIndex(src, -1) {
			for _, line := range directive.FindAllIndex(src[at[0]:at[1]], -1) {
				blank(out[at[0]+line[0] : at[0]+line[1]])
			}
		}
		for _, at := range line.FindAllIndex(src, -1) {
			blank(out[at[0]:at[1]])
		}
		for _, at := range attribute.FindAllIndex(src, -1) {
			blank(out[at[0]:at[1]])
		}
		for _, at := range enum.FindAllSubmatchIndex(src, -1) {
			blank(out[at[0]:at[7]])
			copy(out[at[4]:], "enum")
			blank(out[at[8]:at[9]])
		}
		r := objcReader{text: out}
		r.read()
		return out
	}
}

// blank replaces the bytes of a text but its line feeds by blanks.
func blank(text []byte) {
	for i, b := range text {
		if b != '\n' && b != '\r' {
			text[i] = ' '
		}
	}
}

// objcChunk adds the names of arguments, at:in: for "push:(id)x at:(int)i", and finds constants by their keyword.
func objcChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Method:
		end := c.End
		if c.Body > 0 {
			end = c.Body
		}
		c.Labels = objcLabels(withoutComments(src[c.Ident+int32(len(c.Name)) : end]))
	case source.Enum:
		if before := bytes.TrimRight(src[:c.Decl], " \t"); bytes.HasSuffix(before, []byte("typedef")) {
			c.Decl = int32(len(before) - len("typedef"))
			c.Sig = c.Decl
		}
	case source.Variable:
		if bytes.Contains(src[c.Sig:c.Ident], []byte("const")) {
			c.Kind = source.Constant
		}
	}
	return true
}

// objcLabels returns the rest of a selector behind its first name: ":at:" of ":(id)x at:(int)i".
func objcLabels(text []byte) string {
	var labels []byte
	depth, word := 0, -1
	for at, b := range text {
		switch {
		case b == '(' || b == '[' || b == '{':
			depth++
			word = -1
		case b == ')' || b == ']' || b == '}':
			depth--
			word = -1
		case depth > 0:
		case b == ':':
			if word >= 0 && len(labels) > 0 {
				labels = append(labels, text[word:at]...)
			}
			labels = append(labels, ':')
			word = -1
		case isIdentifier(b):
			if word < 0 {
				word = at
			}
		default:
			word = -1
		}
	}
	return string(labels)
}
