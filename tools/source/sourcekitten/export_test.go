package sourcekitten

// Structure decodes the output of the program.
var Structure = structure
