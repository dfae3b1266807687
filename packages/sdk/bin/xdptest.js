#!/usr/bin/env node
// The executable of the package. It exists before the first build, so that package managers can link it.
import { main } from '../dist/cli/main.js';

process.exitCode = await main(process.argv.slice(2));
