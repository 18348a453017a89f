package build

import (
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// The codes that this package adds to those of package security.
const (
	codeNoBuildSystem = "NO_BUILD_SYSTEM"
	codeToolMissing   = "BUILD_TOOL_MISSING"
)

// invalid is an error about the arguments.
func invalid(next, format string, args ...any) error {
	return &mcp.ToolError{Code: string(security.InvalidParams), Message: fmt.Sprintf(format, args...), Next: next}
}

// noSystem is the error for a directory that cannot be built.
func noSystem(next, format string, args ...any) error {
	return &mcp.ToolError{Code: codeNoBuildSystem, Message: fmt.Sprintf(format, args...), Next: next}
}

// ToolMissing is the error BUILD_TOOL_MISSING for a step whose program is not on
// this machine, with how to get it. Cause is what the search for it answered.
func ToolMissing(s System, program string, cause error) error {
	return &mcp.ToolError{
		Code:    codeToolMissing,
		Message: fmt.Sprintf("%s, which builds a project of %s, is not installed here", quote(program), s),
		Next:    remedy(s, program),
		Err:     cause,
	}
}

// remedy says how a program of a system is got.
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

// quote shows a foreign string in a message.
func quote(s string) string { return truncate.Quote(s, 200) }
