// What is compared of an uncaught error's text: not the frames (another engine has other columns), not
// the length of the caret line, not the brackets of an error without frames, and not what Node says of
// itself.
export function fatal_text(stderr) {
  const lines = stderr.split('\n');
  const blank = lines.indexOf('');
  const kept = lines[0]?.startsWith('node:internal/') && blank !== -1
    ? lines.slice(blank + 1) : lines;
  return kept
    .filter((line) => !/^ +(?:at |\.\.\. \d+ lines matching)/.test(line))
    .filter((line) => !/^Node\.js v\d/.test(line))
    .map((line) => line.replace(/^( *)\^+$/, '$1^').replace(/^\[(.*)\](?: \{)?$/, '$1'))
    .join('\n')
    .replace(/\n+$/, '\n');
}
