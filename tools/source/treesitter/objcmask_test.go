package treesitter

import (
	"bytes"
	"strings"
	"testing"
)

// Long files have thousands of messages, whose brackets might begin lambdas.
func TestObjcMask_ManyMessages(t *testing.T) {
	src := "@implementation A\n- (void)a {\n" + strings.Repeat("  [self run:[item size]];\n", 5000) + "}\nCONVERTER_FOR(int)\n@end\n"
	masked := objcMask()([]byte(src))
	if len(masked) != len(src) || bytes.Contains(masked, []byte("CONVERTER_FOR")) || !bytes.Contains(masked, []byte("[self run:[item size]]")) {
		t.Errorf("masked: %s", masked[len(masked)-60:])
	}
}

func TestObjcMask_Unclosed(t *testing.T) {
	for _, part := range []string{"[", "[a", "[&](", "&", "a{", "=a{", "a<", "A_B(", "@protocol ", "\n#if A\n", "\n#else\n", "\n- (a", "for (", "\"", "/*"} {
		src := "@implementation A\n- (void)a {\n" + strings.Repeat(part, 20000)
		if masked := objcMask()([]byte(src)); len(masked) != len(src) {
			t.Errorf("%q: %d bytes of %d", part, len(masked), len(src))
		}
	}
}
