// Package health checks which roles can be used: whether the executor has their models, and whether
// the models respond.
//
// A Checker asks each executor for its models, compares them with the models of the roles, and asks
// each remaining model one question. The question runs in an empty directory without write
// permission. A successful result is cached for an hour, also in a file, so that a restart repeats
// no check.
package health
