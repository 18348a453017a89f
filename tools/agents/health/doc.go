// Package health finds out which roles can be used: whether their models are there,
// and whether they answer.
//
// A Checker asks every executor for its models, holds those of the roles against
// them, and has each model that is left answer once, however many roles have it:
// in an empty directory, without the right to change anything. What has answered is
// remembered for an hour, in a file too, so that a restart costs nothing.
package health
