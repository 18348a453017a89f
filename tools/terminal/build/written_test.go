package build_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/terminal/build"
)

// written is output of tools without recorded logs, written from their sources and documentation, with the expected problems.
// The project is in /p.
var written = []struct {
	name   string
	system build.System
	log    string
	want   []string
}{
	{"kotlin in Gradle", build.Gradle, `
> Task :app:compileKotlin FAILED
e: file:///p/app/src/main/kotlin/A%20B.kt:3:16 Unresolved reference 'gone'.
w: file:///p/app/src/main/kotlin/A.kt:2:9 Variable 'x' is never used

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileKotlin'.
> A failure occurred while executing org.jetbrains.kotlin.compilerRunner.GradleCompilerRunnerWithWorkers$GradleKotlinCompilerWorkAction
   > Compilation error. See log for more details

* Try:
> Run with --stacktrace option to get the stack trace.
`, []string{
		"app/src/main/kotlin/A B.kt:3:16: error: Unresolved reference 'gone'.",
		"app/src/main/kotlin/A.kt:2:9: warning: Variable 'x' is never used",
	}},
	{"kotlin in Gradle before 1.8", build.Gradle, "e: /p/A.kt: (3, 16): Unresolved reference: gone\nw: C:\\p\\B.kt: (1, 2): unused\n", []string{
		"A.kt:3:16: error: Unresolved reference: gone", "C:/p/B.kt:1:2: warning: unused",
	}},
	{"kotlin in Maven", build.Maven, "[ERROR] /p/src/main/kotlin/A.kt: (3, 16) Unresolved reference: gone\n[ERROR] /p/src/main/kotlin/B.kt:[4,1] Expecting a top level declaration\n", []string{
		"src/main/kotlin/A.kt:3:16: error: Unresolved reference: gone", "src/main/kotlin/B.kt:4:1: error: Expecting a top level declaration",
	}},
	{"a script of Gradle", build.Gradle, `
FAILURE: Build failed with an exception.

* Where:
Build file '/p/build.gradle' line: 12

* What went wrong:
A problem occurred evaluating root project 'p'.
> Could not find method gone() for arguments [] on root project 'p'.

* Try:
`, []string{"build.gradle:12: error: A problem occurred evaluating root project 'p'.\n> Could not find method gone() for arguments [] on root project 'p'."}},
	{"a dependency of Gradle", build.Gradle, `
* What went wrong:
Could not determine the dependencies of task ':compileJava'.
> Could not resolve all dependencies for configuration ':compileClasspath'.
   > Could not find com.x:gone:1.0.

* Try:
`, []string{"error: Could not determine the dependencies of task ':compileJava'.\n> Could not resolve all dependencies for configuration ':compileClasspath'.\n   > Could not find com.x:gone:1.0."}},
	{"tests of Gradle", build.Gradle, `
> Task :test FAILED

com.x.ATest > adds() FAILED
    org.opentest4j.AssertionFailedError: expected: <3> but was: <-1>
        at app//org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
        at app//com.x.ATest.adds(ATest.java:10)

BTest > short FAILED
    java.lang.AssertionError at BTest.java:7

2 tests completed, 2 failed

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///p/build/reports/tests/test/index.html
`, []string{
		"ATest.java:10: error: org.opentest4j.AssertionFailedError: expected: <3> but was: <-1> [com.x.ATest > adds()]",
		"BTest.java:7: error: java.lang.AssertionError [BTest > short]",
	}},
	{"scala 3", build.Make, `
-- [E006] Not Found Error: src/A.scala:3:10 -----------------------------------
3 |  def g = gone(1)
  |          ^^^^
  |          Not found: gone
  |
  | longer explanation available when compiling with ` + "`-explain`" + `
-- Warning: src/A.scala:4:2 ---------------------------------------------------
4 |  1
  |  ^
  |  A pure expression does nothing in statement position
1 error found
`, []string{
		"src/A.scala:3:11: error: Not found: gone [E006]", "src/A.scala:4:3: warning: A pure expression does nothing in statement position",
	}},
	{"sbt", build.Make, `
[info] compiling 1 Scala source to /p/target/classes ...
[error] /p/src/main/scala/A.scala:3:11: not found: value gone
[error]   def g = gone(1)
[error]           ^
[warn] /p/src/main/scala/A.scala:9:3: unused
[error] one error found
`, []string{"src/main/scala/A.scala:3:11: error: not found: value gone", "src/main/scala/A.scala:9:3: warning: unused"}},
	{"dotnet build", build.Dotnet, `
  Determining projects to restore...
/p/App/App.csproj : error NU1101: Unable to find package Gone. No packages exist with this id in source(s): nuget.org [/p/App.sln]
Program.cs(3,27): error CS1002: ; expected [/p/App/App.csproj]
/p/App/Program.cs(5,9): warning CS0168: The variable 'x' is declared but never used [/p/App/App.csproj::TargetFramework=net8.0]
MSBUILD : error MSB1003: Specify a project or solution file. The current working directory does not contain a project or solution file.
CSC : error CS5001: Program does not contain a static 'Main' method suitable for an entry point [/p/App/App.csproj]

Build FAILED.

/p/App/Program.cs(5,9): warning CS0168: The variable 'x' is declared but never used [/p/App/App.csproj::TargetFramework=net8.0]
    1 Warning(s)
    3 Error(s)
`, []string{
		"App/App.csproj: error: Unable to find package Gone. No packages exist with this id in source(s): nuget.org [NU1101]",
		"Program.cs:3:27: error: ; expected [CS1002]",
		"App/Program.cs:5:9: warning: The variable 'x' is declared but never used [CS0168]",
		"error: Specify a project or solution file. The current working directory does not contain a project or solution file. [MSB1003]",
		"error: Program does not contain a static 'Main' method suitable for an entry point [CS5001]",
	}},
	{"msbuild with processes, and cl", build.MSBuild, `
     1>ClCompile:
     2>C:\p\src\main.cpp(12,5): error C2065: 'gone': undeclared identifier [C:\p\App.vcxproj]
     2>C:\p\src\main.cpp(14): warning C4101: 'x': unreferenced local variable [C:\p\App.vcxproj]
  1:7>main.obj : error LNK2019: unresolved external symbol "int __cdecl gone(void)" referenced in function main [C:\p\App.vcxproj]
LINK : fatal error LNK1104: cannot open file 'gone.lib' [C:\p\App.vcxproj]
C:\p\src\a.cpp(3) : fatal error C1083: Cannot open include file: 'gone.h': No such file or directory
C:\Program Files\dotnet\sdk\8.0.100\Microsoft.Common.targets(123,5): error MSB4018: The "Copy" task failed unexpectedly. [C:\p\App.vcxproj]
`, []string{
		"C:/p/src/main.cpp:12:5: error: 'gone': undeclared identifier [C2065]",
		"C:/p/src/main.cpp:14: warning: 'x': unreferenced local variable [C4101]",
		"main.obj: error: unresolved external symbol \"int __cdecl gone(void)\" referenced in function main [LNK2019]",
		"error: cannot open file 'gone.lib' [LNK1104]",
		"C:/p/src/a.cpp:3: error: Cannot open include file: 'gone.h': No such file or directory [C1083]",
		"C:/Program Files/dotnet/sdk/8.0.100/Microsoft.Common.targets:123:5: error: The \"Copy\" task failed unexpectedly. [MSB4018]",
	}},
	{"dotnet test", build.Dotnet, `
  Failed Calc.Tests.Adds(a: 1) [10 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 3
Actual:   2
  Stack Trace:
     at Calc.Tests.Adds(Int32 a) in /p/Tests.cs:line 12
   at System.RuntimeMethodHandle.InvokeMethod(Object target)
  Failed Calc.Tests.Other [< 1 ms]
  Error Message:
   no
  Stack Trace:
     at Calc.Tests.Other() in /p/Tests.cs:line 20
`, []string{
		"Tests.cs:12: error: Assert.Equal() Failure: Values differ\nExpected: 3\nActual:   2 [Calc.Tests.Adds(a: 1)]", "Tests.cs:20: error: no [Calc.Tests.Other]",
	}},
	{"swift", build.Swift, `
[1/3] Compiling A a.swift
/p/Sources/A/a.swift:3:5: error: cannot find 'gone' in scope
1 | func f() {
2 |   let x = 1
3 |     gone()
  |     ` + "`- error: cannot find 'gone' in scope" + `
/p/Sources/A/a.swift:2:7: warning: initialization of immutable value 'x' was never used
error: emit-module command failed with exit code 1 (use -v to see invocation)
error: fatalError
`, []string{
		"Sources/A/a.swift:3:5: error: cannot find 'gone' in scope", "Sources/A/a.swift:2:7: warning: initialization of immutable value 'x' was never used",
	}},
	{"tests of swift", build.Swift, `
/p/Tests/ATests/a.swift:12: error: ATests.testAdds : XCTAssertEqual failed: ("2") is not equal to ("3")
✘ Test adds() recorded an issue at b.swift:5:3: Expectation failed: (1 + 1 → 2) == 3
✘ Test adds() failed after 0.001 seconds with 1 issue.
`, []string{
		"Tests/ATests/a.swift:12: error: ATests.testAdds : XCTAssertEqual failed: (\"2\") is not equal to (\"3\")",
		"b.swift:5:3: error: Expectation failed: (1 + 1 → 2) == 3 [adds()]",
	}},
	{"xcodebuild", build.Xcodebuild, `
/p/App.xcodeproj: error: Signing for "App" requires a development team. (in target 'App' from project 'App')
/p/App/V.swift:9:1: error: expected declaration
Undefined symbols for architecture arm64:
  "_gone", referenced from:
      _main in main.o
ld: symbol(s) not found for architecture arm64
clang: error: linker command failed with exit code 1 (use -v to see invocation)
** BUILD FAILED **
`, []string{
		"App.xcodeproj: error: Signing for \"App\" requires a development team. (in target 'App' from project 'App')",
		"App/V.swift:9:1: error: expected declaration",
		"error: Undefined symbols for architecture arm64:\n  \"_gone\", referenced from:\n      _main in main.o",
	}},
	{"xcodebuild itself", build.Xcodebuild, "xcodebuild: error: The directory /p does not contain an Xcode project, workspace or package.\n", []string{
		"error: The directory /p does not contain an Xcode project, workspace or package.",
	}},
	{"tsc with more of the message", build.NPM, "src/a.ts(3,5): error TS2322: Type 'A' is not assignable to type 'B'.\n  Types of property 'x' are incompatible.\n    Type 'string' is not assignable to type 'number'.\nweb:build: src/b.ts(1,2): error TS1005: ';' expected.\n", []string{
		"src/a.ts:3:5: error: Type 'A' is not assignable to type 'B'.\n  Types of property 'x' are incompatible.\n    Type 'string' is not assignable to type 'number'. [TS2322]",
		"src/b.ts:1:2: error: ';' expected. [TS1005]",
	}},
	{"stylelint", build.NPM, "\nsrc/a.css\n 3:5  ✖  Unexpected unknown property \"colr\"  property-no-unknown\n 9:1  ⚠  Unexpected empty block  block-no-empty\n", []string{
		"src/a.css:3:5: error: Unexpected unknown property \"colr\" [property-no-unknown]", "src/a.css:9:1: warning: Unexpected empty block [block-no-empty]",
	}},
	{"create-react-app", build.NPM, "Failed to compile.\n\nsrc/App.js\n  Line 3:5:  'gone' is not defined  no-undef\n", []string{"src/App.js:3:5: warning: 'gone' is not defined [no-undef]"}},
	{"next", build.NPM, "Failed to compile.\n\n./pages/a.tsx:3:5\nType error: Type 'number' is not assignable to type 'string'.\n\n./pages/b.js\n4:7  Error: 'x' is assigned a value but never used.  no-unused-vars\n", []string{
		"pages/a.tsx:3:5: error: Type 'number' is not assignable to type 'string'.", "pages/b.js:4:7: error: 'x' is assigned a value but never used. [no-unused-vars]",
	}},
	{"vite 5", build.NPM, `vite v5.4.0 building for production...
x Build failed in 120ms
error during build:
src/main.js (1:9): "gone" is not exported by "src/ok.js", imported by "src/main.js".
file: /p/src/main.js:1:9

1: import { gone } from "./ok.js";
            ^
`, []string{`src/main.js:1:10: error: "gone" is not exported by "src/ok.js", imported by "src/main.js".`}},
	{"an unresolved entry of vite 5", build.NPM, `vite v5.4.0 building for production...
✓ 0 modules transformed.
x Build failed in 8ms
error during build:
Could not resolve entry module "index.html".
    at getRollupError (file:///p/node_modules/rollup/dist/es/shared/parseAst.js:396:41)
    at error (file:///p/node_modules/rollup/dist/es/shared/parseAst.js:392:42)
`, []string{`error: Could not resolve entry module "index.html".`}},
	{"an unresolved entry of vite 8", build.NPM, `vite v8.3.8 building client environment for production...
✗ Build failed in 10ms
error during build:
Build failed with 1 error:

[UNRESOLVED_ENTRY] Error: Cannot resolve entry module index.html.
    at aggregateBindingErrorsIntoJsError (file:///p/node_modules/rolldown/dist/shared/error-CLo6EJKG.mjs:50:18)
`, []string{`error: Cannot resolve entry module index.html. [UNRESOLVED_ENTRY]`}},
	{"another reason of vite", build.NPM, "error during build:\nError: The plugin has no options.\n    at config (file:///p/vite.config.js:3:5)\n", []string{"error: The plugin has no options."}},
	{"vite 4", build.NPM, `[vite]: Rollup failed to resolve import "gone" from "/p/src/main.js".
This is most likely unintended because it can break your application at runtime.
error during build:
Error: [vite]: Rollup failed to resolve import "gone" from "/p/src/main.js".
    at viteWarn (file:///p/node_modules/vite/dist/node/chunks/dep.js:1:1)

[vite:esbuild] Transform failed with 1 error:
/p/src/a.ts:3:5: ERROR: Expected ";" but found "x"
`, []string{
		`src/main.js: error: Rollup failed to resolve import "gone" from "/p/src/main.js".`, `src/a.ts:3:6: error: Expected ";" but found "x"`,
	}},
	{"esbuild's warnings", build.NPM, "▲ [WARNING] Comparison with -0 [equals-negative-zero]\n\n    src/a.js:1:4:\n      1 │ a = b == -0\n        ╵     ^\n\n", []string{"src/a.js:1:5: warning: Comparison with -0 [equals-negative-zero]"}},
	{"webpack 4, and a checker", build.NPM, `
ERROR in ./src/index.js
Module not found: Error: Can't resolve './gone' in '/p/src'
 @ ./src/index.js 2:0-23

ERROR in ./src/a.ts:3:5
TS2322: Type 'number' is not assignable to type 'string'.
    1 | x
  > 3 |     return 1;
      |     ^

ERROR in ./node_modules/css-loader!./src/a.css
Error: Can't resolve './a.png'
`, []string{
		"src/index.js:2:1: error: Module not found: Error: Can't resolve './gone' in '/p/src'",
		"src/a.ts:3:5: error: Type 'number' is not assignable to type 'string'. [TS2322]",
		"src/a.css: error: Error: Can't resolve './a.png'",
	}},
	{"npm before 10", build.NPM, `npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR!
npm ERR! While resolving: x@1.0.0
npm ERR! A complete log of this run can be found in:
`, []string{"error: ERESOLVE unable to resolve dependency tree [ERESOLVE]"}},
	{"npm after a script", build.NPM, "src/a.ts(1,2): error TS1005: ';' expected.\nnpm ERR! Lifecycle script `build` failed with error:\nnpm ERR! Error: command failed\nnpm ERR!   in workspace: web@1.0.0\n", []string{"src/a.ts:1:2: error: ';' expected. [TS1005]"}},
	{"yarn 1", build.Yarn, "yarn run v1.22.22\nerror Couldn't find any versions for \"gone\" that matches \"^9\"\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n", []string{"error: Couldn't find any versions for \"gone\" that matches \"^9\""}},
	{"yarn 4", build.Yarn, "➤ YN0000: · Yarn 4.1.0\n➤ YN0027: │ gone@unknown can't be resolved to a satisfying range\n➤ YN0000: · Failed with errors in 0s 80ms\n", []string{"error: gone@unknown can't be resolved to a satisfying range [YN0027]"}},
	{"pnpm before 10", build.PNPM, " ERR_PNPM_NO_SCRIPT  Missing script: gone\n ELIFECYCLE  Command failed with exit code 1.\n", []string{"error: Missing script: gone [ERR_PNPM_NO_SCRIPT]"}},
	{"a panic before Rust 1.73", build.Cargo, "thread 'tests::adds' panicked at 'assertion failed: `(left == right)`', src/lib.rs:12:9\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n", []string{"src/lib.rs:12:9: error: assertion failed: `(left == right)` [tests::adds]"}},
	{"GNU ld without debugging information", build.Make, "/usr/bin/ld: /tmp/ccX.o: in function `main':\nm.c:(.text+0x9): undefined reference to `gone'\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: m] Error 1\n", []string{"m.c: error: undefined reference to `gone'"}},
	{"only a consequence", build.Make, "make: *** [Makefile:2: m] Error 1\n", []string{"Makefile:2: error: m: Error 1"}},
	{"docker", build.Make, "#12 3.456 src/a.c:1:2: error: expected ';'\n", []string{"src/a.c:1:2: error: expected ';'"}},
	{"a Japanese gcc", build.Make, "a.c: 関数 ‘f’ 内:\na.c:2:3: エラー: ‘x’ が宣言されていません\na.c:2:3: 備考: 未宣言の識別子\nb.c:1:1: 警告: 使われていません [-Wunused]\nc.c:1:10: 致命的エラー: gone.h: そのようなファイルはありません\n", []string{
		"a.c:2:3: error: ‘x’ が宣言されていません\nnote: 未宣言の識別子 (a.c:2)", "b.c:1:1: warning: 使われていません [-Wunused]", "c.c:1:10: error: gone.h: そのようなファイルはありません",
	}},
	{"bison and flake8 and mypy", build.Make, "g.y:3.5-4.6: error: syntax error, unexpected x\na.py:3:5: F401 'os' imported but unused\na.py:4: error: Name \"x\" is not defined  [name-defined]\n", []string{
		"g.y:3:5: error: syntax error, unexpected x", "a.py:3:5: error: 'os' imported but unused [F401]", "a.py:4: error: Name \"x\" is not defined [name-defined]",
	}},
	{"javac without sources", build.Make, "A.java:1: error: x\nB.java:2: error: y\n[ERROR] C.java:3: z\nmake: *** [Makefile:1: all] Error 1\n", []string{"A.java:1: error: x", "B.java:2: error: y", "C.java:3: error: z"}},
	{"a Japanese make", build.Make, "make[1]: ディレクトリ '/p/sub' に入ります\na.c:1:2: エラー: x\nmake[1]: *** [Makefile:3: all] エラー 1\nmake[1]: ディレクトリ '/p/sub' から出ます\nb.c:1:2: エラー: y\n", []string{"sub/a.c:1:2: error: x", "b.c:1:2: error: y"}},
	{"a panic of something else", build.Make, "panic: no more disk\na.c:1:2: error: x\n", []string{"error: panic: no more disk", "a.c:1:2: error: x"}},
	{"tests of Go that were ended", build.Go, "--- FAIL: TestX (0.00s)\n    /p/a_test.go:3: no\nsignal: killed\n", []string{"a_test.go:3: error: no [TestX]"}},
	{"a warning of cargo", build.Cargo, "warning: unused manifest key: package.x\n   Compiling m v0.1.0 (/p)\nerror: failed to run custom build command for `m v0.1.0 (/p)`\n\nCaused by:\n  process didn't exit successfully: `build-script-build` (exit status: 101)\n  --- stderr\n  no library\nwarning: build failed, waiting for other jobs to finish...\n", []string{
		"warning: unused manifest key: package.x",
		"error: failed to run custom build command for `m v0.1.0 (/p)`\nprocess didn't exit successfully: `build-script-build` (exit status: 101)\n--- stderr\nno library",
	}},
	{"vite's warnings", build.NPM, "[vite:resolve] Module \"fs\" has been externalized for browser compatibility\n\nWarning: Each child in a list should have a key\n", []string{"warning: Module \"fs\" has been externalized for browser compatibility"}},
	{"packages of Go", build.Go, "package m\n\timports m/a\n\timports m: import cycle not allowed\npackage gone is not in std (/usr/local/go/src/gone)\npackage main\nmain.go:12: a log\n", []string{
		"error: package m\n  imports m/a\n  imports m: import cycle not allowed", "error: package gone is not in std (/usr/local/go/src/gone)",
	}},
	{"Rollup and then another", build.NPM, "[!] RollupError: src/r.js (1:9): no\nsrc/a.ts(1,2): error TS1: x\n", []string{"src/r.js:1:10: error: no", "src/a.ts:1:2: error: x [TS1]"}},
	{"a manifest of cargo", build.Cargo, "error: failed to parse manifest at `/p/Cargo.toml`\n\nCaused by:\n  no targets specified in the manifest\n", []string{"Cargo.toml: error: failed to parse manifest at `/p/Cargo.toml`\nno targets specified in the manifest"}},
	{"CMake of Windows, and its other forms", build.CMake, "CMake Error at C:/p/CMakeLists.txt:3 (include):\n  no file\n\n\nCMake Warning (dev) in CMakeLists.txt:\n  no project\n\nCMake Deprecation Warning at x.cmake:1 (y):\n  old\n", []string{
		"C:/p/CMakeLists.txt:3: error: no file [include]", "CMakeLists.txt: warning: no project", "x.cmake:1: warning: old [y]",
	}},
	{"what is no problem", build.Make, `
12:30:45 error: the clock
2026/11/22 03:04:05: error: a log
http://localhost:8080: error: a server
127.0.0.1:80: error: another
0 errors, 0 warnings
error_count = 3
no error: here
see a.c:3 for more
[INFO] all is well
go: downloading example.com/x v1.0.0
PASS: a.c (1.0)
npm warn deprecated x@1: gone
Error: only said
    3 | a.c:1:2: error: source of a test
`, nil},
}

func TestWritten(t *testing.T) {
	for _, w := range written {
		t.Run(w.name, func(t *testing.T) {
			m := build.NewMatcher(w.system, "/p")
			m.Write([]byte(strings.TrimPrefix(w.log, "\n")))
			m.Close()
			var got []string
			for _, p := range m.Problems() {
				got = append(got, p.String())
			}
			if g, want := strings.Join(got, "\n~\n"), strings.Join(w.want, "\n~\n"); g != want {
				t.Errorf("got\n%s\nwant\n%s", g, want)
			}
		})
	}
}
