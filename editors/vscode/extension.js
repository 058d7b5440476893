"use strict";
// Starts "savepoint-checker lsp" and hands the editor's documents to it. All that is shown comes from the server.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

/** How the server is started, from the settings. */
function serverOptions(settings) {
  const [command, ...args] = settings.get("command", ["savepoint-checker"]);
  return { command, args: [...args, "lsp"], transport: TransportKind.stdio };
}

const documents = [
  { scheme: "file", language: "java" },
  { scheme: "file", language: "python" },
  { scheme: "file", language: "sql" },
  { scheme: "file", pattern: "**/*.topology.{yaml,yml,json,jsonl}" },
];

async function start() {
  const settings = vscode.workspace.getConfiguration("savepointChecker");
  client = new LanguageClient("savepointChecker", "savepoint-checker", serverOptions(settings), { documentSelector: documents });
  try {
    await client.start();
  } catch (error) {
    const install = "pip install 'savepoint-checker[editor]'";
    vscode.window.showErrorMessage(`savepoint-checker could not be started: ${error.message}. Install it with ${install}, or set savepointChecker.command.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.needsStop()) await running.stop();
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("savepointChecker.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("savepointChecker") ? restart() : undefined)),
  );
  await start();
}

module.exports = { activate, deactivate: stop, serverOptions, documents };
