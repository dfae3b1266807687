/** The setup file that the plugin adds to every project: the matchers, for every `expect`. */
import './matchers/index.ts';
