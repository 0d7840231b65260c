/** An object of methods and nothing else, such as a store. */
export type MethodsOnly<T> = { [K in keyof T]: (...args: never[]) => unknown };

/** The same object with every call going through `around`; all arguments pass. */
export function wrapMethods<T extends MethodsOnly<T>>(target: T, around: <R>(call: () => R, name: keyof T) => R): T {
  const wrapped = methodNames(target).map((name) => {
    const method: (...args: never[]) => unknown = target[name];
    return [name, (...args: never[]) => around(() => method.apply(target, args), name)];
  });
  return Object.fromEntries(wrapped);
}

/** Those of the object and, where it is an instance, of its classes. */
function methodNames<T extends object>(target: T): (keyof T)[] {
  const names = new Set<string>();
  for (let owner: object = target; owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name);
  }
  names.delete('constructor');
  return [...names] as (keyof T)[];
}
