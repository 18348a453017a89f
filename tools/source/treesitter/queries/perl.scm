[(comment) (pod)] @comment

(package_statement name: (package) @name) @module
(package_statement name: (package) @name (block) @body) @module

(source_file (expression_statement (assignment_expression left: (variable_declaration variable: (_ (varname) @name)))) @variable)
(use_statement module: (package) (list_expression . (autoquoted_bareword) @name)) @constant

(subroutine_declaration_statement name: (bareword) @name body: (_) @body) @function
(method_declaration_statement name: (bareword) @name body: (_) @body) @method
(expression_statement (assignment_expression
  left: (variable_declaration variable: (scalar (varname) @name)) right: (anonymous_subroutine_expression body: (_) @body))) @lambda

(use_statement module: (package) @import)
(require_expression (bareword) @import)

(function_call_expression function: (function) @call)
(method_call_expression method: (method) @call)
