[(comment) (haddock)] @comment

(header module: (module) @name) @module
(import module: (module) @import)

(data_type name: (name) @name constructors: (_)? @body) @enum
(newtype name: (name) @name) @struct
(type_synomym name: (name) @name) @typeAlias
(type_family name: (name) @name) @typeAlias
(class name: (name) @name declarations: (_)? @body) @interface
(instance name: (_) @name declarations: (_)? @body) @extension
(data_constructor (prefix name: (constructor) @name)) @enumCase
(data_constructor (record name: (constructor) @name)) @enumCase
(field name: (field_name (variable) @name)) @property

(signature name: (variable) @name) @function
(signature name: (prefix_id (operator) @name)) @operator
(function name: (variable) @name match: (_) @body) @function
(function (infix operator: (operator) @name) match: (_) @body) @operator
(function name: (prefix_id (operator) @name) match: (_) @body) @operator
(declarations (bind name: (variable) @name match: (_) @body) @function)
(instance_declarations (bind name: (variable) @name match: (_) @body) @function)
(class_declarations (bind name: (variable) @name match: (_) @body) @function)

(apply function: (variable) @call)
(apply function: (qualified id: (variable) @call))
