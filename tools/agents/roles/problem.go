package roles

import "github.com/dougu-go/dougu/tools/config"

// Problem is an error in a settings file, with its position, the valid values and the consequence.
type Problem = config.Problem
