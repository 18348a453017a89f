package mcptest

// FirstDifference shows where two texts differ.
var FirstDifference = firstDifference
