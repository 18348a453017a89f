(comment) @comment

(namespace_use_clause . (_) @import)
(include_expression (string) @import)
(include_once_expression (string) @import)
(require_expression (string) @import)
(require_once_expression (string) @import)

(namespace_definition name: (_) @name body: (_)? @body) @module

(class_declaration attributes: (_)? @attribute name: (_) @name body: (_) @body) @class
(interface_declaration attributes: (_)? @attribute name: (_) @name body: (_) @body) @interface
(trait_declaration attributes: (_)? @attribute name: (_) @name body: (_) @body) @interface
(enum_declaration attributes: (_)? @attribute name: (_) @name body: (_) @body) @enum
(enum_case attributes: (_)? @attribute name: (_) @name) @enumCase

(method_declaration attributes: (_)? @attribute name: (_) @name body: (_)? @body) @method
(function_definition attributes: (_)? @attribute name: (_) @name body: (_) @body) @function

(property_declaration attributes: (_)? @attribute (property_element name: (variable_name (name) @name)) @property (property_hook_list)? @body) @outer
(property_promotion_parameter attributes: (_)? @attribute name: (variable_name (name) @name)) @property
(property_hook attributes: (_)? @attribute (name) @name body: (compound_statement) @body) @accessor
(property_hook attributes: (_)? @attribute (name) @name "=>" @body) @accessor

(const_declaration attributes: (_)? @attribute (const_element . (name) @name) @constant) @outer
(expression_statement (function_call_expression function: (name) arguments: (arguments . (argument (string (string_content) @name)))) @constant) @outer

(assignment_expression left: (variable_name (name) @name) right: (anonymous_function body: (_) @body)) @lambda
(assignment_expression left: (variable_name (name) @name) right: (arrow_function "=>" @body)) @lambda
(expression_statement (assignment_expression left: (variable_name (name) @name) right: (anonymous_function body: (_) @body)) @lambda) @outer
(expression_statement (assignment_expression left: (variable_name (name) @name) right: (arrow_function "=>" @body)) @lambda) @outer

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name (name) @call))
