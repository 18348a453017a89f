package build

import "slices"

// System is a build system.
type System string

// The build systems.
const (
	NPM        System = "npm"
	Yarn       System = "yarn"
	PNPM       System = "pnpm"
	Maven      System = "maven"
	Gradle     System = "gradle"
	MSBuild    System = "msbuild"
	Go         System = "go"
	Cargo      System = "cargo"
	Dotnet     System = "dotnet"
	Swift      System = "swift"
	Xcodebuild System = "xcodebuild"
	Make       System = "make"
	CMake      System = "cmake"
	Python     System = "python"
)

// Auto stands for the first system that Detect finds; so does "".
const Auto System = "auto"

// Systems are all build systems, in the order in which documents name them.
func Systems() []System {
	return []System{NPM, Yarn, PNPM, Maven, Gradle, MSBuild, Go, Cargo, Dotnet, Swift, Xcodebuild, Make, CMake, Python}
}

func (s System) known() bool { return slices.Contains(Systems(), s) }
