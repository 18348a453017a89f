package roles

import "github.com/dougu-go/dougu/tools/config"

// Problem is one thing that is wrong with the file, with its place, what is allowed, and what is used instead.
type Problem = config.Problem
