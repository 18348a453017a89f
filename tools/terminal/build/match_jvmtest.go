package build

import (
	"path"
	"strings"
)

// jvmTestParser parses failed tests in the form of Surefire and Gradle: a line with the name, the exception and its trace. The
// location is the first frame outside of frameworks.
//
//	[ERROR] adds(com.x.ATest)  Time elapsed: 0.01 s  <<< FAILURE!
//	java.lang.AssertionError: expected:<1> but was:<2>
//		at com.x.ATest.adds(ATest.java:12)
type jvmTestParser struct{ block }

func (c *jvmTestParser) end(r *report) { c.block.end(r) }

func (c *jvmTestParser) line(r *report, s string) verdict {
	if c.open {
		if c.tick() && c.continues(r, s) {
			return more
		}
		c.end(r)
		return pass
	}
	name, ok := failedTest(s)
	if !ok {
		return pass
	}
	c.begin(Problem{Severity: Error, Code: name, Source: "junit"})
	return more
}

// failedTest reads the name of a test that has failed.
func failedTest(s string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "[ERROR] "); ok && (strings.HasSuffix(s, "<<< FAILURE!") || strings.HasSuffix(s, "<<< ERROR!")) {
		if strings.HasPrefix(rest, "Tests run:") {
			return "", false
		}
		name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if method, class, ok := strings.Cut(name, "("); ok {
			name = strings.TrimSuffix(class, ")") + "." + method
		}
		return name, true
	}
	name, ok := strings.CutSuffix(s, " FAILED")
	if !ok || !strings.Contains(name, " > ") || s[0] == ' ' || s[0] == '>' {
		return "", false
	}
	return name, true
}

func (c *jvmTestParser) continues(r *report, s string) bool {
	text := strings.TrimSpace(s)
	switch {
	case text == "":
		return c.Message == ""
	case strings.HasPrefix(text, "at "):
		c.frame(r, text[3:])
		return true
	case strings.HasPrefix(text, "Caused by: "), c.File == "" && c.lines < 20 && s[0] != '[':
		if file, rest, ok := strings.Cut(text, " at "); ok && c.Message == "" && strings.Contains(rest, ":") { // Gradle's short form
			c.add(file)
			c.frame(r, rest)
			return true
		}
		c.add(text)
		return true
	}
	return s[0] != '[' && strings.HasPrefix(text, "...")
}

// frameworks are class prefixes of test frameworks and the runtime.
var frameworks = []string{"org.junit.", "junit.", "java.", "jdk.", "sun.", "javax.", "kotlin.", "scala.", "org.testng.", "org.assertj.", "org.hamcrest.", "org.opentest4j.", "org.mockito.", "org.apache.maven.", "org.gradle.", "org.scalatest."}

// frame reads "com.x.ATest.adds(ATest.java:12)" or "ATest.java:12".
func (c *jvmTestParser) frame(r *report, s string) {
	method, where, ok := strings.Cut(s, "(")
	if !ok {
		method, where = "", s
	}
	if _, plain, ok := strings.Cut(method, "//"); ok { // the module, as in app//com.x.ATest
		method = plain
	}
	if at := strings.LastIndexByte(method, '/'); at >= 0 { // as in java.base/java.util
		method = method[at+1:]
	}
	for _, prefix := range frameworks {
		if strings.HasPrefix(method, prefix) {
			return
		}
	}
	p, _, ok := cutPlace(strings.TrimSuffix(where, ")") + ":")
	if !ok || c.File != "" {
		return
	}
	parts := strings.Split(method, ".")
	p.file = javaFile(r, strings.Join(parts[:max(0, len(parts)-2)], "."), p.file)
	c.at(p)
}

// javaFile finds the file of a class, which a trace names without its directory.
func javaFile(r *report, pkg, file string) string {
	inPackage := path.Join(strings.ReplaceAll(pkg, ".", "/"), file)
	var candidates []string
	for _, dir := range []string{"src/test/java", "src/test/kotlin", "src/test/scala", "src/main/java", "src/main/kotlin", "src/main/scala", "test", "src", "."} {
		candidates = append(candidates, path.Join(dir, inPackage))
	}
	return r.names.find(file, candidates...)
}
