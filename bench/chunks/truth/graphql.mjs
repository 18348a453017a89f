// Prints the definitions, fields, and values of enumerations of GraphQL documents by the reference implementation: name, line of the name,
// last line and file, separated by tabs.
import { readFileSync } from 'node:fs'
import { parse, visit } from 'graphql'

for (const file of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = readFileSync(file, 'utf8')
  try {
    const tree = parse(text, { allowLegacyFragmentVariables: true })
    console.log(`-\t0\t0\t${file}`)
    visit(tree, {
      enter(node, key, parent, path, ancestors) {
        const isField = node.kind === 'FieldDefinition' || node.kind === 'EnumValueDefinition' || node.kind === 'InputValueDefinition' && key !== undefined && /InputObject/.test(ancestors.at(-2)?.kind ?? ancestors.at(-1)?.kind ?? '')
        if (!node.name || !(isField || /(TypeDefinition|TypeExtension|DirectiveDefinition|OperationDefinition|FragmentDefinition)$/.test(node.kind))) return
        console.log(`${node.name.value}\t${node.name.loc.startToken.line}\t${node.loc.endToken.line}\t${file}`)
      },
    })
  } catch (error) {
    console.error(`${file}: ${error.message}`)
  }
}
