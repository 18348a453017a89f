(comment) @comment

(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)

(function_definition name: (word) @name body: (_) @body) @function

(command name: (command_name (word) @require) argument: (word) @import)

(command name: (command_name (word) @call))
