// What a reader of the report sees and does: browser_checks.mjs CHROMIUM FULL HOSTILE EMPTY PICTURE
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [executablePath, full, hostile, empty, picture] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

let failed = 0;
async function check(name, look) {
  try {
    await look();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}

// A page that fails whatever looks at it if the browser complains or asks for anything.
async function open(file, options = {}, look = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  try {
    await look(page, context);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

// axe-core is put into the page past its policy, by the debugger's protocol.
async function violations(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3)}`);
}

const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const numbers = (page, table, column) =>
  page.$$eval(`${table} tbody tr`, (rows, n) => rows.map((row) => Number(row.cells[n].dataset.v)), column);

for (const colorScheme of ['light', 'dark']) {
  await check(`renders ${colorScheme}, and axe-core finds nothing serious`, () =>
    open(full, { colorScheme }, async (page) => {
      const background = await page.evaluate(
        () => getComputedStyle(document.documentElement).backgroundColor);
      const light = Number(background.match(/\d+/)[0]) > 128;
      assert.equal(light, colorScheme === 'light', background);
      assert.deepEqual(await violations(page), []);
    }));
}

await check('an empty and a hostile report are as accessible', async () => {
  for (const file of [empty, hostile]) {
    await open(file, {}, async (page) => assert.deepEqual(await violations(page), []));
  }
});

await check('planted mistakes are found', () =>
  open(full, {}, async (page) => {
    await page.evaluate(() => {
      const image = document.createElement('img');
      const wide = document.createElement('div');
      wide.style.setProperty('width', '3000px');
      wide.textContent = 'wide';
      document.querySelector('main').append(image, wide);
    });
    assert.match(String(await violations(page)), /image-alt/);
    assert.ok((await overflow(page)) > 1000);
  }));

for (const width of [1280, 375]) {
  await check(`nothing overflows at ${width} pixels`, async () => {
    for (const file of [full, hostile, empty]) {
      await open(file, { viewport: { width, height: 900 } }, async (page) => {
        assert.equal(await overflow(page), 0, file);
        if (file === full) await page.screenshot({ path: `${picture}.${width}.png`, fullPage: true });
      });
    }
  });
}

await check('a click sorts, a second one turns it around', () =>
  open(full, {}, async (page) => {
    const head = page.locator('#by-profile thead th').nth(1);
    await head.getByRole('button').click();
    const down = await numbers(page, '#by-profile', 1);
    assert.ok(down.length > 3);
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    await head.getByRole('button').click();
    assert.deepEqual(await numbers(page, '#by-profile', 1), [...down].reverse());
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  }));

await check('the keyboard alone sorts, and skips to the findings', () =>
  open(full, {}, async (page) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.keyboard.press('Enter');
    assert.ok(page.url().endsWith('#main'));
    const button = page.locator('#by-day thead th').nth(3).getByRole('button');
    await button.focus();
    await page.keyboard.press('Enter');
    const days = await numbers(page, '#by-day', 3);
    assert.deepEqual(days, [...days].sort((a, b) => b - a));
  }));

await check('a filter narrows the findings and says how many are left', () =>
  open(full, {}, async (page) => {
    const rows = page.locator('table.findings tbody tr');
    const all = await rows.count();
    await page.getByRole('searchbox').fill('orders notes');
    assert.equal(await page.locator('table.findings tbody tr:visible').count(), 1);
    assert.equal(await page.getByRole('status').textContent(), `1 of ${all} shown`);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('combobox').selectOption('high');
    const high = await page.locator('table.findings tbody tr:visible').count();
    assert.equal(high, await page.locator('tr[data-severity=high]').count());
    assert.ok(high > 0 && high <= all);
  }));

await check('the line to add and the prompt are copied as they stand', () =>
  open(full, {}, async (page, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const line = page.locator('#class-operator code.copyable').first();
    await page.locator('#class-operator button.copy').first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await copied(), await line.textContent());
    assert.equal(await copied(), '"GET /v1/orders?status&limit"');
    // The link opens what it leads to.
    await page.locator('#class-unknown td a').first().click();
    assert.ok(await page.locator('#class-unknown pre').first().isVisible());
    await page.locator('#class-unknown button.copy').first().click();
    await page.waitForFunction(() => document.querySelector('#class-unknown button.copy').textContent === 'Copied');
    assert.equal(await copied(), await page.locator('#class-unknown pre').first().textContent());
    assert.match(await copied(), /none is warranted/);
  }));

await check('a hostile line stays text', () =>
  open(hostile, {}, async (page) => {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator('main img, main script, main b, main i').count(), 0);
    const text = await page.locator('body').innerText();
    assert.ok(text.includes('<script>window.hacked=1</script><img src=x onerror=window.hacked=2>[U+202E]"\'&[U+001B][2J'));
    assert.ok(!/[\u202a-\u202e\u001b]/.test(text));
    assert.match(text, /\d+ lines were unreadable/);
    assert.ok(!text.includes('bold'));
  }));

await check('without script everything is there to read', () =>
  open(full, { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator('#tools').isVisible(), false);
    assert.equal(await page.locator('button').count(), 0);
    for (const id of ['class-code', 'class-operator', 'class-unknown', 'by-profile', 'by-route',
      'by-caller', 'by-day']) {
      assert.ok(await page.locator(`#${id} tbody tr`).first().isVisible(), id);
    }
    await page.locator('#class-unknown summary').first().click();
    assert.ok(await page.locator('#class-unknown pre').first().isVisible());
  }));

await check('the policy of the page refuses any other script', () =>
  open(full, {}, async (page) => {
    const ran = await page.evaluate(async () => {
      const violated = new Promise((resolve) =>
        document.addEventListener('securitypolicyviolation', () => resolve('refused'), { once: true }));
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      return [await violated, window.injected];
    });
    assert.deepEqual(ran, ['refused', undefined]);
  }).catch((error) => {
    // The browser tells of the refusal on its console, which is all that may be told.
    if (!String(error).includes('Content Security Policy')) throw error;
  }));

await check('on paper there is no tool, and every prompt', () =>
  open(full, { colorScheme: 'dark' }, async (page) => {
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('#tools').isVisible(), false);
    assert.equal(await page.locator('button.copy:visible').count(), 0);
    assert.ok(await page.locator('#class-unknown pre').first().isVisible());
    const pdf = await page.pdf();
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  }));

await open(full, {}, (page) => page.screenshot({ path: picture }));
await browser.close();
process.exit(failed === 0 ? 0 : 1);
