package grep_test
import ("testing";"strings";"github.com/dougu-go/dougu/internal/grep")
func TestZZ(t *testing.T) {
	for range 3 { grep.Compile(strings.Repeat("[^a]", 1000), grep.Options{}) }
	for range 30 { grep.Compile(strings.Repeat("a", 4000), grep.Options{}) }
}
