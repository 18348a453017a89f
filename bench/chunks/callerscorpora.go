package main

// usesCorpora returns the projects whose uses are measured.
func usesCorpora() []usesCorpus {
	return []usesCorpus{
		{"modelcontextprotocol/go-sdk", "Go", false, goModule("github.com/modelcontextprotocol/go-sdk", "v1.8.0"), checkGo},
		{"blevesearch/bleve", "Go", false, goModule("github.com/blevesearch/bleve/v2", "*"), checkGo},
		{"jackc/pgx", "Go", true, goModule("github.com/jackc/pgx/v5", "*"), checkGo},
		{"golang.org/x/tools", "Go", true, goModule("golang.org/x/tools", "v0.52.0"), checkGo},
		{"grpc/grpc-go", "Go", true, goModule("google.golang.org/grpc", "*"), checkGo},
		{"hashicorp/hcl", "Go", false, goModule("github.com/hashicorp/hcl/v2", "*"), checkGo},
		{"zod", "TypeScript", false, installed("zod", "src"), checkScript},
		{"rxjs", "TypeScript", true, packed(rxjs, "src", ".ts"), checkScript},
		{"extension of VS Code", "TypeScript", true, ownSources("tools/editor/vscode/extension/src"), checkScript},
		{"flask", "Python", false, pythonPackage("flask"), checkPython},
		{"asyncio", "Python", false, pythonPackage("asyncio"), checkPython},
		{"jinja2", "Python", false, pythonPackage("jinja2"), checkPython},
		{"click", "Python", true, pythonPackage("click"), checkPython},
		{"werkzeug", "Python", true, pythonPackage("werkzeug"), checkPython},
		{"jsonschema", "Python", true, pythonPackage("jsonschema"), checkPython},
		{"java.util.logging", "Java", false, jdkPackages("java.logging", "java/util/logging", "sun"), checkJava("java.logging")},
		{"jdk.jshell", "Java", false, jdkPackages("jdk.jshell", "jdk"), checkJava("jdk.jshell")},
		{"java.net.http", "Java", false, jdkPackages("java.net.http", "java", "jdk"), checkJava("java.net.http")},
		{"jdk.httpserver", "Java", true, jdkPackages("jdk.httpserver", "com", "sun"), checkJava("jdk.httpserver")},
		{"java.naming", "Java", true, jdkPackages("java.naming", "javax", "com", "sun"), checkJava("java.naming")},
		{"java.rmi", "Java", true, jdkPackages("java.rmi", "java", "sun"), checkJava("java.rmi")},
		{"ajv", "TypeScript", false, installed("ajv", "lib"), checkScript},
	}
}
