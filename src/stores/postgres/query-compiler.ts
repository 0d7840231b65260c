import { type DataTypeNode, PostgresQueryCompiler } from 'kysely';

/**
 * Text columns compare by bytes, whatever the database's collation: lists have the same order as in SQLite, and names
 * that differ in any byte are different.
 */
export class BinaryTextCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === 'text' && this.parentNode?.kind === 'ColumnDefinitionNode') this.append(' collate "C"');
  }
}
