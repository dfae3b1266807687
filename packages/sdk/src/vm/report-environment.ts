/** The environment that tells a command where it runs and where its reports go, in a guest and on the host alike. */

export function reportVariables(kernel: string, directory: string): Record<string, string> {
  return {
    /** The kernel's name as it was asked for. */
    XDPTEST_KERNEL: kernel,
    /** All files in there come back. */
    XDPTEST_REPORT_DIR: directory,
    /** Where a JSON report is looked for first, and a JUnit one second. */
    XDPTEST_JSON: `${directory}/report.json`,
    XDPTEST_JUNIT: `${directory}/junit.xml`,
  };
}
