<?php
// Prints for each line of the input, a JSON list of a language and a text, whether the text is PHP.
while (($line = fgets(STDIN)) !== false) {
    try {
        token_get_all(json_decode($line)[1], TOKEN_PARSE);
        echo "true\n";
    } catch (ParseError $e) {
        echo "false\n";
    }
}
