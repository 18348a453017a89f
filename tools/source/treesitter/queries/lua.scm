(comment) @comment

(chunk (variable_declaration (variable_list name: (identifier) @name)) @variable)
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @variable)

(function_declaration name: (identifier) @name body: (_)? @body) @function
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name) body: (_)? @body) @function
(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name) body: (_)? @body) @method
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition body: (_)? @body) .))) @lambda
(chunk (assignment_statement
  (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition body: (_)? @body) .)) @lambda)
(block (assignment_statement
  (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition body: (_)? @body) .)) @lambda)
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name) .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @function

(function_call name: (identifier) @require arguments: (arguments (string content: (_) @import)))

(function_call name: (identifier) @call)
(function_call name: (dot_index_expression field: (identifier) @call))
(function_call name: (method_index_expression method: (identifier) @call))
