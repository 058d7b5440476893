"use strict";
// The client against a stand-in of the editor: what it starts, restarts, stops and says when that fails.
const assert = require("node:assert");
const Module = require("node:module");
const { beforeEach, test } = require("node:test");

const seen = { clients: [], errors: [], commands: {}, listeners: [], settings: {}, fails: false };

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, running: false });
    seen.clients.push(this);
  }
  async start() {
    if (seen.fails) throw new Error("spawn ENOENT");
    this.running = true;
  }
  needsStop() {
    return this.running;
  }
  async stop() {
    this.running = false;
  }
}

const stand = {
  vscode: {
    workspace: {
      getConfiguration: () => ({ get: (key, otherwise) => seen.settings[key] ?? otherwise }),
      onDidChangeConfiguration: (listener) => seen.listeners.push(listener),
    },
    window: { showErrorMessage: (text) => seen.errors.push(text) },
    commands: { registerCommand: (name, act) => { seen.commands[name] = act; } },
  },
  "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } },
};
const load = Module._load;
Module._load = (name, ...rest) => stand[name] || load(name, ...rest);
const extension = require("../extension.js");

beforeEach(async () => {
  await extension.deactivate();
  Object.assign(seen, { clients: [], errors: [], commands: {}, listeners: [], settings: {}, fails: false });
});

test("starts the server and stops it", async () => {
  await extension.activate({ subscriptions: [] });
  const [client] = seen.clients;
  assert.deepStrictEqual([client.server.command, ...client.server.args], ["savepoint-checker", "lsp"]);
  assert.ok(client.running);
  await extension.deactivate();
  assert.ok(!client.running);
});

test("starts it with the configured command", async () => {
  seen.settings.command = ["uvx", "--from", "savepoint-checker[editor]", "savepoint-checker"];
  await extension.activate({ subscriptions: [] });
  const { command, args } = seen.clients[0].server;
  assert.deepStrictEqual([command, ...args], [...seen.settings.command, "lsp"]);
});

test("restarts by command and when its settings change, and not for others", async () => {
  await extension.activate({ subscriptions: [] });
  await seen.commands["savepointChecker.restart"]();
  await seen.listeners[0]({ affectsConfiguration: (section) => section === "savepointChecker" });
  await seen.listeners[0]({ affectsConfiguration: () => false });
  assert.deepStrictEqual(seen.clients.map((client) => client.running), [false, false, true]);
});

test("says what to do when it can't be started", async () => {
  seen.fails = true;
  await extension.activate({ subscriptions: [] });
  assert.match(seen.errors[0], /pip install 'savepoint-checker\[editor\]'/);
});

test("the manifest and the code agree", () => {
  const manifest = require("../package.json");
  assert.deepStrictEqual(manifest.contributes.configuration.properties["savepointChecker.command"].default, ["savepoint-checker"]);
  assert.deepStrictEqual(manifest.contributes.commands.map((one) => one.command), ["savepointChecker.restart"]);
  const languages = extension.documents.flatMap((one) => one.language || []);
  assert.deepStrictEqual(manifest.activationEvents.filter((event) => event.startsWith("onLanguage")), languages.map((l) => `onLanguage:${l}`));
});
