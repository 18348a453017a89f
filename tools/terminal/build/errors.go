package build

import (
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// Error codes of this package. Package security defines further codes.
const (
	codeNoBuildSystem = "NO_BUILD_SYSTEM"
	codeToolMissing   = "BUILD_TOOL_MISSING"
)

// invalid returns an INVALID_PARAMS error.
func invalid(next, format string, args ...any) error {
	return &mcp.ToolError{Code: string(security.InvalidParams), Message: fmt.Sprintf(format, args...), Next: next}
}

// noSystem returns the NO_BUILD_SYSTEM error.
func noSystem(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeNoBuildSystem, Message: fmt.Sprintf(format, args...), Next: next}
}

// ToolMissing returns the BUILD_TOOL_MISSING error for a step whose program is not installed, with advice for its installation.
// cause is the error of the search for the program.
func ToolMissing(s System, program string, cause error) error {
	return &mcp.ToolError{
		Code:    codeToolMissing,
		Message: fmt.Sprintf("%s, which builds a project of %s, is not installed here", quote(program), s),
		Next:    remedy(s, program),
		Err:     cause,
	}
}

// remedy returns the advice for the installation of a program.
func remedy(s System, program string) string {
	switch s {
	case NPM:
		return "Install Node.js, which brings npm, or build with another buildType."
	case Yarn, PNPM:
		return fmt.Sprintf("Run `corepack enable` or `npm install --global %s`, or build with buildType npm.", s)
	case Maven:
		return "Install a JDK and Maven, or add the wrapper to the project: `mvn wrapper:wrapper` on a machine that has it."
	case Gradle:
		return "Install a JDK and Gradle, or add the wrapper to the project: `gradle wrapper` on a machine that has it."
	case MSBuild:
		return "Install the Visual Studio Build Tools, or build with buildType dotnet if the projects have SDK style."
	case Go:
		return "Install Go (https://go.dev/dl)."
	case Cargo:
		return "Install Rust (https://rustup.rs)."
	case Dotnet:
		return "Install the .NET SDK."
	case Swift:
		return "Install Swift (https://swift.org/install)."
	case Xcodebuild:
		return "Xcode runs on macOS only; there, install it and run `xcode-select --install`."
	case CMake:
		if program == "ctest" {
			return "ctest comes with CMake: install CMake whole."
		}
		return "Install CMake and a C or C++ compiler."
	case Python:
		return "Install Python 3 (https://python.org)."
	case Make:
		return "Install GNU make and a compiler."
	}
	return "Install it, or name another buildType."
}

// quote quotes a string from outside for a message and truncates it to 200 bytes.
func quote(s string) string { return truncate.Quote(s, 200) }
