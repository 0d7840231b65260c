/** `PROPERTY_SEED` makes property tests repeatable: CI sets it, so that a commit is tested the same way each time. */
import fc from 'fast-check';

const seed = process.env['PROPERTY_SEED'];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
