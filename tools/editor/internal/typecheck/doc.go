// Package typecheck finds source files whose types are not checked, because a comment or a configuration file of the project turns the
// check off. A language server reports no errors for a file like that, although it may have some.
//
// [Project.Disabled] knows TypeScript and JavaScript (the comments @ts-nocheck and @ts-check, and checkJs and skipLibCheck of
// tsconfig.json and jsconfig.json) and the settings ignore and typeCheckingMode of Pyright and basedpyright. It reads configuration files only, from the
// directory of the source file up to the project directory, and runs nothing.
//
// A configuration that cannot be read counts as one without settings. The package does not evaluate which files a configuration
// includes: the nearest tsconfig.json or jsconfig.json decides for JavaScript, and each configuration above a Python file counts.
package typecheck
