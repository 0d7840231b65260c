import { type DataTypeNode, PostgresQueryCompiler } from 'kysely';

/**
 * Columns of text compare by their bytes, whatever the database was created with: so lists come in the same order as
 * from SQLite, and names that differ in anything are different names.
 */
export class BinaryTextCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === 'text' && this.parentNode?.kind === 'ColumnDefinitionNode') this.append(' collate "C"');
  }
}
