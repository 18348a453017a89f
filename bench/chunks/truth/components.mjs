// Prints the functions in the scripts of Vue, Svelte and Astro components by the compilers of these frameworks: name, first line, last line
// and file, separated by tabs. Counted are functions and classes' methods of the outermost scope, and methods of an exported object of options.
import { readFileSync } from 'node:fs'
import { parse as parseScript } from '@babel/parser'
import { parse as parseVue } from '@vue/compiler-sfc'
import { parse as parseSvelte } from 'svelte/compiler'
import { parse as parseAstro } from '@astrojs/compiler'

const isFunction = (node) => /^(ArrowFunctionExpression|FunctionExpression)$/.test(node?.type ?? '')

function functions(program, report) {
  const member = (node) => {
    if (/^(ClassMethod|ObjectMethod|MethodDefinition)$/.test(node.type) || node.type === 'Property' && isFunction(node.value)) {
      const name = node.computed ? undefined : node.key.name ?? node.key.value
      if (name && (node.body ?? node.value?.body)) report(name, node)
    }
  }
  const object = (node, depth) => {
    for (const p of node.properties ?? []) {
      const value = /^(ObjectProperty|Property)$/.test(p.type) ? p.value : undefined
      if (value?.type === 'ObjectExpression' && depth < 2) object(value, depth + 1)
      else if (p.type === 'ObjectProperty' && isFunction(value) && !p.computed) report(p.key.name ?? p.key.value, p)
      else member(p)
    }
  }
  const statement = (node) => {
    switch (node?.type) {
      case 'FunctionDeclaration':
        if (node.id) report(node.id.name, node)
        break
      case 'ClassDeclaration':
        node.body.body.forEach(member)
        break
      case 'VariableDeclaration':
        for (const d of node.declarations) if (d.id.type === 'Identifier' && isFunction(d.init)) report(d.id.name, d)
        break
      case 'ExportNamedDeclaration':
        statement(node.declaration)
        break
      case 'ExportDefaultDeclaration': {
        const value = node.declaration
        if (value.type === 'ObjectExpression') object(value, 0)
        else if (value.type === 'CallExpression' && value.arguments[0]?.type === 'ObjectExpression') object(value.arguments[0], 0)
        else statement(value)
      }
    }
  }
  program.body.forEach(statement)
}

const babel = (text) => parseScript(text, { sourceType: 'module', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true, plugins: ['typescript', 'decorators-legacy'] }).program
const vueBabel = (text) => parseScript(text, { sourceType: 'module', allowAwaitOutsideFunction: true, plugins: ['typescript', 'jsx', 'decorators-legacy'] }).program

async function programs(file, text) {
  if (file.endsWith('.vue')) {
    const { descriptor, errors } = parseVue(text, { filename: file })
    if (errors.length) throw errors[0]
    return [descriptor.script, descriptor.scriptSetup].filter((s) => s && !s.src).map((s) => [vueBabel(s.content), s.loc.start.offset])
  }
  if (file.endsWith('.svelte')) {
    const tree = parseSvelte(text, { modern: true })
    return [tree.module, tree.instance].filter(Boolean).map((s) => [s.content, 0])
  }
  const { ast, diagnostics } = await parseAstro(text, { position: true })
  if (diagnostics?.some((d) => d.severity === 1)) throw new Error('invalid')
  const bytes = Buffer.from(text)
  const found = []
  const visit = (node) => {
    if (node.type === 'frontmatter') found.push([babel(node.value), bytes.indexOf('---') + 3])
    if (node.type === 'element' && node.name === 'script' && !node.attributes.some((a) => a.name === 'type' && /json/.test(a.value))) {
      for (const c of node.children) if (c.type === 'text') found.push([babel(c.value), c.position.start.offset])
    }
    node.children?.forEach(visit)
  }
  visit(ast)
  return found.map(([program, at]) => [program, bytes.subarray(0, at).toString().length])
}

for (const file of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = readFileSync(file, 'utf8')
  const lineOf = (offset) => text.slice(0, offset).split('\n').length
  try {
    const all = await programs(file, text)
    console.log(`-\t0\t0\t${file}`)
    for (const [program, at] of all) functions(program, (name, node) => console.log(`${name}\t${lineOf(at + node.start)}\t${lineOf(at + node.end)}\t${file}`))
  } catch (error) {
    console.error(`${file}: ${error.message}`)
  }
}
